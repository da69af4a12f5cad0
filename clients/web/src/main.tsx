// The page: the screen for each address.

import "./styles/style.css";
import "./styles/pages.css";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { keepFocus } from "./browser/focus.ts";
import { go, route } from "./browser/route.ts";
import { browser } from "./browser/storage.ts";
import { withstandTranslators } from "./browser/translators.ts";
import { notice } from "./game/title.ts";
import { begin } from "./language/reader.ts";
import { language, say } from "./language/texts.ts";
import { LATER } from "./later.ts";
import { keep } from "./offline/start.ts";
import { offline } from "./offline/switch.ts";
import { Opening } from "./parts/opening.tsx";
import { tokenWanted } from "./service/api.ts";
import { loadAnew } from "./service/files.ts";
import { takeKeys } from "./service/links.ts";
import { useLoaded } from "./service/loading.ts";
import { Lobby } from "./views/lobby.tsx";
import { TokenScreen } from "./views/token.tsx";

type Name = keyof typeof LATER;

const STAYING = ["study", "learn"]; // these ask for their labels themselves, and go on where they were

const Page = () => (
  <>
    {browser.losing.value && (
      <p class="notice" role="status">
        {say("trouble.unkept")}
      </p>
    )}
    <Screen />
  </>
);

function Screen() {
  const words = route.value ?? [];
  const [screen = "", id, ...more] = words;
  const linked = screen === "game" && id !== undefined && more.length > 1;
  if (tokenWanted.value) return <TokenScreen />;
  if (linked) return <Linked key={words.join("/")} id={id} more={more} />;
  if (screen && screen !== "game") notice("");
  if (Object.hasOwn(LATER, screen) && (id || screen === "path") && (!offline || screen === "game"))
    return <Later key={told(screen)} screen={screen as Name} words={words.slice(1)} />;
  return <Lobby lost={route.value === undefined || words.length > 0} />;
}

/** A link with tokens, which are stored, and removed from the address. */
function Linked({ id, more }: { id: string; more: string[] }) {
  const { found, trouble } = useLoaded(more.join("/"), () => takeKeys(id, more));
  useEffect(() => {
    if (found) go(["game", id], true);
  }, [found]);
  return <Opening trouble={trouble} />;
}

/** A screen that is loaded when it is first opened. */
function Later({ screen, words }: { screen: Name; words: string[] }) {
  const { found, trouble } = useLoaded(
    "",
    () => LATER[screen]().catch(loadAnew),
    () => say("trouble.failed"),
  );
  const Found = found?.default;
  return Found ? <Found key={words.join("/")} words={words} /> : <Opening trouble={trouble} />;
}

/** The key of a screen: labels come from the server, so most screens are reopened in another language. */
const told = (screen: string) => (STAYING.includes(screen) ? screen : `${screen} ${language.value}`);

const page = document.getElementById("page") as HTMLElement;
keepFocus();
keep().catch((error) => console.warn(error)); // the page works without it while there is a network
withstandTranslators(page);
begin().then(
  () => render(<Page />, page),
  () => page.append("This page could not be loaded. Reload it."), // there are no texts to say so in other languages
);
