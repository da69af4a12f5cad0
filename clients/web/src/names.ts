// What cards are called in other languages, where a source tells the name that is printed on them. A catalogue with names
// of its own (`name_de`) comes first.
//
// German: the craftsmen, places and the tax exemption of Die Säulen der Erde (2006), by section and id without the number
// of its round. Events and most advantages are known by key words alone, not by their titles, and stay in English.

const GERMAN: Record<string, string> = {
  "starting_craftsmen/mortar_mixer": "Mörtelmischer",
  "starting_craftsmen/woodworker": "Schreiner",
  "starting_craftsmen/stonecutter": "Steinmetz",
  "craftsmen/toolmaker": "Werkzeugmacher",
  "craftsmen/master_woodworker": "Schreiner",
  "craftsmen/mortar_mixer": "Mörtelmischer",
  "craftsmen/mason": "Maurer",
  "craftsmen/carpenter": "Zimmermann",
  "craftsmen/potter": "Töpfer",
  "craftsmen/architect": "Statiker",
  "craftsmen/sculptor": "Bildhauer",
  "craftsmen/glassblower": "Glasbläser",
  "craftsmen/goldsmith": "Goldschmied",
  "craftsmen/organ_builder": "Orgelbauer",
  "craftsmen/bell_maker": "Glockengießer",
  "resource_cards/sand": "Kiesgrube",
  "resource_cards/wood": "Wald",
  "resource_cards/stone": "Steinbruch",
  "advantage_cards/tax_exemption": "Steuerfreiheit",
};

const NAMES: Record<string, Record<string, string>> = { de: GERMAN };

/** What a card is called in a language; nothing where no source tells. */
export function printedName(language: string, section: string, id: string): string | undefined {
  return NAMES[language]?.[`${section}/${id.replace(/_\d+$/, "")}`];
}
