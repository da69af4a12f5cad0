// Reads the position files of a table; prints the messages, in hexadecimal, and why the others are refused.

import { toBinary } from "@bufbuild/protobuf";
import { readPosition } from "@clerestory/client";
import { PositionSchema } from "@clerestory/client/v1/position";

declare const process: { argv: [string, string, string] };

const read = (text: string): string => {
  try {
    const bytes = toBinary(PositionSchema, readPosition(text));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  } catch (error) {
    return (error as Error).message;
  }
};
console.log(JSON.stringify((JSON.parse(process.argv[2]) as string[]).map(read)));
