// The choice of the language, each under its native name.

import { choose } from "../language/reader.ts";
import { LANGUAGES, type Language, language, say } from "../language/texts.ts";
import { loadAnew } from "../service/files.ts";

const nameOf = (code: Language): string => new Intl.DisplayNames(code, { type: "language" }).of(code) ?? code;

export function LanguageChoice() {
  return (
    <label class="language">
      {say("language")}
      <select
        value={language.value}
        onChange={(event) =>
          void choose(event.currentTarget.value as Language)
            .catch(loadAnew)
            .catch(() => undefined)
        }
      >
        {LANGUAGES.map((code) => (
          <option key={code} value={code} lang={code}>
            {nameOf(code)}
          </option>
        ))}
      </select>
    </label>
  );
}
