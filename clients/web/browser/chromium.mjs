// Unpacks the Chromium of @sparticuz/chromium with the libraries it needs, and says where it lies and how it starts.
//
//   AWS_EXECUTION_ENV=AWS_Lambda_nodejs22.x node chromium.mjs    (without that variable the libraries are left out)

import { dirname, join } from "node:path";
import chromium from "@sparticuz/chromium";

chromium.setGraphicsMode = false;
const path = await chromium.executablePath();
console.log(JSON.stringify({ path, libraries: join(dirname(path), "al2023", "lib") }));
