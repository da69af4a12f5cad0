// The rules, as the service's RulesService, as far as they need no server.

import { fromBinary } from "@bufbuild/protobuf";
import { type Engine, type GameName, IllegalAction } from "@clerestory/engine";
import { Code, type ServiceImpl } from "@connectrpc/connect";
import { type AnyPosition, DescribeCatalogueResponseSchema, type RulesService } from "../gen/clerestory/v1/rules_pb.ts";
import { failure, unsupported } from "./failure.ts";
import type { ReadData, Words } from "./words.ts";
import { readPosition, writeActions, writeApplied, writeOutcome, writePosition, writeTurn } from "./write.ts";

interface Parts {
  engine(game: GameName): Promise<Engine>;
  words(game: GameName, language: string | null): Promise<Words>;
  read: ReadData;
}

export function rulesOf({ engine, words, read }: Parts): Partial<ServiceImpl<typeof RulesService>> {
  const given = async (message: AnyPosition | undefined, language: string | null) => {
    if (message?.kind.case !== "position") throw unsupported("a position other than a seat's view");
    const game = message.kind.value.game.case;
    if (game !== "cathedral" && game !== "duel") throw failure("BAD_POSITION", "is of another game");
    return { position: readPosition(await engine(game), message.kind.value), words: await words(game, language) };
  };
  return {
    describeCatalogue: async ({ game }) =>
      fromBinary(DescribeCatalogueResponseSchema, await read(`catalogue-${game}.bin`)),

    planConversions: () => ({}), // nothing is planned here, so that the page offers the actions one by one

    listActions: async ({ position: message }, { requestHeader }) => {
      const { position, words } = await given(message, requestHeader.get("accept-language"));
      return { turn: writeTurn(position.turn), actions: writeActions(position, words), points: position.scores() };
    },

    applyActions: async ({ position: message, actions, draw }, { requestHeader }) => {
      if (draw) throw unsupported("drawn chance events");
      const { position, words } = await given(message, requestHeader.get("accept-language"));
      const applied = actions.map((text, index) => {
        const before = position.copy();
        try {
          position.play(text);
        } catch (error) {
          const about = { code: Code.FailedPrecondition, field: `actions[${index}]` };
          throw error instanceof IllegalAction ? failure("ILLEGAL_ACTION", error.message, about) : error;
        }
        return writeApplied(text, before.turn, words, [before, position]);
      });
      const outcome = writeOutcome(position);
      return {
        position: { kind: { case: "position", value: writePosition(position) } },
        applied,
        turn: writeTurn(position.turn),
        ...(outcome && { outcome }),
      };
    },
  };
}
