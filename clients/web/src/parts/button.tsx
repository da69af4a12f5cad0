// A button that is not always of use: it stays where it is, and keeps the focus.

import type { ButtonHTMLAttributes } from "preact";

interface Props extends Omit<ButtonHTMLAttributes, "type" | "onClick" | "aria-disabled"> {
  /** It has no effect: it waits for an answer, or leads nowhere. */
  off: boolean;
  onPress(): void;
}

export const Button = ({ off, onPress, ...rest }: Props) => (
  <button type="button" {...rest} aria-disabled={off} onClick={() => off || onPress()} />
);
