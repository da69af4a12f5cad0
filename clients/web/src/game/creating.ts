// Creating a game that the server keeps, with a button.

import type { MessageInitShape } from "@bufbuild/protobuf";
import { useSignal } from "@preact/signals";
import { go } from "../browser/route.ts";
import type { CreateGameRequestSchema } from "../gen/clerestory/v1/games_pb.ts";
import { prepare } from "../later.ts";
import { games, wordsOf } from "../service/api.ts";
import { again, insist, LIMIT } from "../service/insist.ts";
import { useHere } from "../service/loading.ts";
import { keepKeys } from "./rematch.ts";

type Asked = MessageInitShape<typeof CreateGameRequestSchema>;

/** Whether a game is being created, an obstacle if any, and a function that creates a game and goes to it. */
export function useCreate() {
  const busy = useSignal(false);
  const trouble = useSignal("");
  const here = useHere();
  const create = async (asked: Asked | Promise<Asked>, made = () => {}) => {
    if (busy.value) return;
    busy.value = true;
    trouble.value = "";
    prepare("game"); // its screen is loaded while the game is made
    try {
      const request = await asked;
      const id = keepKeys(await insist(() => games.createGame(request, LIMIT), { wanted: here, told: again(trouble) }));
      made();
      if (here()) go(["game", id]);
    } catch (error) {
      trouble.value = wordsOf(error);
    } finally {
      busy.value = false;
    }
  };
  return { busy: busy.value, trouble: trouble.value, create };
}
