// A server's services over one connection.

import type { Client as Service, Transport } from "@connectrpc/connect";
import { AdvisorService } from "./gen/clerestory/v1/advisor_pb.ts";
import { AnnotationService } from "./gen/clerestory/v1/annotation_pb.ts";
import { GameService } from "./gen/clerestory/v1/games_pb.ts";
import { LessonService } from "./gen/clerestory/v1/lessons_pb.ts";
import { PuzzleService } from "./gen/clerestory/v1/puzzle_pb.ts";
import { RulesService } from "./gen/clerestory/v1/rules_pb.ts";
import { type GameOptions, HostedGame, type Keys, requestName, type SeatPlan } from "./kept.ts";
import { createClient } from "./services.ts";
import { openTransport, type Settings } from "./transport.ts";

/** A server: its services with all their methods, and the games that it keeps. */
export class Client {
  readonly transport: Transport;
  readonly advisor: Service<typeof AdvisorService>;
  readonly annotation: Service<typeof AnnotationService>;
  readonly rules: Service<typeof RulesService>;
  readonly games: Service<typeof GameService>;
  readonly puzzles: Service<typeof PuzzleService>;
  readonly lessons: Service<typeof LessonService>;

  /** `address` is where the server's gateway for browsers is: `http://127.0.0.1:8080`. Throws TypeError. */
  constructor(address: string, settings: Settings = {}) {
    this.transport = openTransport(address, settings);
    this.advisor = createClient(AdvisorService, this.transport);
    this.annotation = createClient(AnnotationService, this.transport);
    this.rules = createClient(RulesService, this.transport);
    this.games = createClient(GameService, this.transport);
    this.puzzles = createClient(PuzzleService, this.transport);
    this.lessons = createClient(LessonService, this.transport);
  }

  /** A new game with the tokens of its owner and of each person's seat. */
  async createGame(game: string, seats: SeatPlan[], options: GameOptions = {}, seed?: bigint): Promise<HostedGame> {
    const drawn = seed === undefined ? {} : { seed };
    const made = await this.games.createGame({ game, seats, options, requestId: requestName(), ...drawn });
    const tokens = Object.fromEntries(made.seatTokens.map((one) => [one.seat, one.token]));
    return this.openGame(made.game?.gameId ?? "", { tokens, owner: made.ownerToken, onlooker: made.onlookerToken });
  }

  /** A game with an open seat taken: the given one, or the first. */
  async joinGame(gameId: string, name = "", seat?: number): Promise<HostedGame> {
    const wanted = seat === undefined ? {} : { seat };
    const { seatToken } = await this.games.joinGame({ gameId, name, requestId: requestName(), ...wanted });
    return this.openGame(gameId, { tokens: seatToken ? { [seatToken.seat]: seatToken.token } : {} });
  }

  /** A game by saved keys, without a call. */
  openGame(gameId: string, keys: Keys = {}): HostedGame {
    return new HostedGame(this.games, gameId, keys);
  }
}
