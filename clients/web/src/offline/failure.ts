// Errors with the reasons of the service (docs/reference.md).

import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.ts";

interface About {
  code?: Code;
  /** Path of the field at fault. */
  field?: string;
  metadata?: Record<string, string>;
}

/** The error of a call with a reason. */
export function failure(reason: string, message: string, { code, field, metadata = {} }: About = {}): ConnectError {
  const info = { desc: ErrorInfoSchema, value: { reason, domain: "clerestory", metadata } };
  const fault = { desc: BadRequestSchema, value: { fieldViolations: [{ field: field ?? "", description: message }] } };
  const words = field ? `${field}: ${message}` : message;
  return new ConnectError(words, code ?? Code.InvalidArgument, undefined, field ? [info, fault] : [info]);
}

/** The error of a request for something that only a server can do. */
export function unsupported(what: string): ConnectError {
  return new ConnectError(`${what}: needs a server`, Code.Unimplemented);
}
