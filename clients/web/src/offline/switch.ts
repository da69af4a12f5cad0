// Whether this is the page that plays without a server (`make site`): what needs one is then left out.

declare const OFFLINE: boolean; // set by the build

export const offline: boolean = OFFLINE;
