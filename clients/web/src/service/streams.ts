// How many streams the windows of this browser hold. Over plain HTTP it opens six connections to a host, for all of them
// together: where streams held them all, no other call would ever get through.

const MOST = 3; // streams; the other connections are for calls and hints
const PATIENCE = 80; // milliseconds in which other windows answer

const channel = "BroadcastChannel" in window ? new BroadcastChannel("streams") : undefined;
const self = crypto.getRandomValues(new Uint32Array(2)).join("-");
const others = new Set<string>();
let held = false;

channel?.addEventListener("message", ({ data }: MessageEvent<{ asks?: string; holds?: string }>) => {
  if (data.asks && held) channel.postMessage({ holds: self });
  if (data.holds) others.add(data.holds);
});

/** Whether many streams share a connection. */
function areShared(): boolean {
  const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return /^h[23]/.test(page?.nextHopProtocol ?? "");
}

/** Take a stream for this window, and return whether there was one. */
export async function takeStream(): Promise<boolean> {
  if (held || !channel || areShared()) return true;
  others.clear();
  held = true; // so that of two windows that ask at once neither believes that it is alone
  channel.postMessage({ asks: self });
  await new Promise((resolve) => setTimeout(resolve, PATIENCE));
  if (others.size >= MOST) held = false;
  return held;
}

/** Leave the stream to another window. */
export function leaveStream(): void {
  held = false;
}
