/** Show a popover below a part of the page, at a distance in pixels, or above it if there is no room below. */
export function showBeside(shown: HTMLElement, { left, top, bottom }: DOMRect, gap: number): void {
  shown.showPopover();
  const { width, height } = shown.getBoundingClientRect();
  shown.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 4))}px`;
  shown.style.top = `${bottom + height + gap < innerHeight ? bottom + gap : Math.max(4, top - height - gap)}px`;
}
