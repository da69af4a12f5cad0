// A lesson: what the service shows of it, one scene after the other, and what has been tried in it.

import { createClient } from "@clerestory/client";
import { computed, type Signal, signal } from "@preact/signals";
import { pace } from "../game/pace.ts";
import { type FollowLessonResponse, LessonService, type LessonSummary } from "../gen/clerestory/v1/lessons_pb.ts";
import { keepStars } from "../path/progress.ts";
import { transport } from "../service/api.ts";
import { Newest } from "../service/newest.ts";

const service = createClient(LessonService, transport);

/** All lessons. */
export async function listed(): Promise<LessonSummary[]> {
  return (await service.listLessons({})).lessons;
}

/** A lesson after some actions. */
const followed = (lesson: string, actions: string[]): Promise<FollowLessonResponse> =>
  service.followLesson({ lesson, actions });

/** A lesson from its beginning. */
export const begun = async (name: string): Promise<Lesson> => new Lesson(name, await followed(name, []));

export class Lesson {
  readonly name: string;
  readonly answer: Signal<FollowLessonResponse>;
  /** The number of the scene that is shown. */
  readonly at = signal(0);
  /** The tries, and new beginnings. */
  readonly asked = new Newest();
  /** Grows with everything that is shown. */
  readonly version = signal(0);
  readonly scene = computed(() => this.answer.value.scenes[this.at.value]);
  readonly before = computed(() => this.answer.value.scenes[this.at.value - 1]);
  /** Whether the player must read a text before going on. */
  readonly reading = computed(() => {
    const { scenes } = this.answer.value;
    return (
      this.at.value < scenes.length - 1 ||
      (this.scene.value?.text !== "" && !this.scene.value?.wrong && !this.#read.value)
    );
  });
  /** How much of the lesson is done, 0 to 1: not what is still to be read. */
  readonly done = computed(() => {
    const { done, scenes } = this.answer.value;
    return this.reading.value ? this.#done + ((done - this.#done) * this.at.value) / scenes.length : done;
  });
  readonly over = computed(() => !this.reading.value && this.answer.value.stars > 0);

  readonly #read = signal(false);
  #tried: string[] = [];
  #trying = this.#tried;
  #done = 0; // before the scenes that are shown
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(name: string, answer: FollowLessonResponse) {
    this.name = name;
    this.answer = signal(answer);
    this.#show(0);
  }

  /** Try an action. */
  play(action: string): Promise<void> {
    return this.#follow([...this.#tried, action]);
  }

  /** Begin again. */
  restart(): Promise<void> {
    return this.#follow([]);
  }

  /** Reload all texts in another language, including those of a pending attempt. */
  again(): Promise<void> {
    return this.#follow(this.asked.busy.value ? this.#trying : this.#tried);
  }

  /** Go on to the next scene, or to the task. */
  readonly next = (): void => {
    if (!this.reading.value) return;
    const { scenes } = this.answer.value;
    if (this.at.value < scenes.length - 1) this.#show(this.at.value + 1);
    else this.#read.value = true;
  };

  /** Show nothing more. */
  leave(): void {
    clearTimeout(this.#timer);
  }

  #follow(actions: string[]): Promise<void> {
    this.#trying = actions;
    return this.asked.ask(
      () => followed(this.name, actions),
      (answer) => {
        const again = actions === this.#tried; // the same as before, in another language
        if (!again) this.#done = actions.length ? this.answer.value.done : 0;
        this.answer.value = answer;
        if (again) return;
        this.#tried = actions;
        this.#show(0);
        if (answer.stars) keepStars(this.name, answer.stars);
      },
    );
  }

  /** Show a scene; one without words is followed by the next. */
  #show(at: number): void {
    clearTimeout(this.#timer);
    this.#read.value = false;
    this.at.value = at;
    this.version.value += 1;
    const { scenes } = this.answer.value;
    if (at < scenes.length - 1 && !scenes[at]?.text) this.#timer = setTimeout(this.next, pace.value);
  }
}
