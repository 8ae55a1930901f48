import { describe, expect, it } from "vitest";
import { compareMention, mentionInWords } from "./mention.ts";

const SENTENCE = "Lu et approuvé, bon pour l’engagement d’Œnone à 1 500 € « sans réserve » !";
const said = (typed: string, sentence = "Lu et approuvé, bon pour accord") =>
  mentionInWords(compareMention(sentence, typed)).replaceAll("\u00a0", " ");

describe("the comparison of a typed mention with its sentence", () => {
  it("accepts the sentence and its variants that a keyboard or an eye does not distinguish", () => {
    for (const typed of [
      SENTENCE,
      "Lu et approuvé, bon pour l'engagement d'OEnone à 1 500 € \"sans réserve\"!",
      `  ${SENTENCE.replaceAll(" ", "\u00a0 ")}\n`,
      SENTENCE.normalize("NFD"),
    ])
      expect(compareMention(SENTENCE, typed), typed).toEqual({ kind: "same" });
    expect(compareMention("À payer – état 1", "A payer - état 1")).toEqual({ kind: "same" });
  });

  it.each(["\u00ad", "\u200b", "\u200d", "\ufeff", "\u2060"])(
    "ignores the invisible character %j on either side",
    (hidden) => {
      const marked = `${hidden}Lu${hidden} et ap${hidden}prouvé${hidden}`;
      expect(compareMention(marked, "Lu et approuvé")).toEqual({ kind: "same" });
      expect(compareMention("Lu et approuvé", marked)).toEqual({ kind: "same" });
      expect(compareMention("Lu", hidden)).toEqual({ kind: "unfinished", next: "Lu", left: 1 });
    },
  );

  it("accepts straight quotation marks with inner spaces, and waits for a sign after a space", () => {
    for (const typed of [
      '" lu et approuvé "',
      '"lu et approuvé"',
      "« lu et approuvé »",
      "« lu et approuvé »",
    ])
      expect(compareMention("« lu et approuvé »", typed), typed).toEqual({ kind: "same" });
    expect(compareMention('dit "a" et "b" !', 'dit " a " et " b "!')).toEqual({ kind: "same" });
    for (const typed of ["dit « ", 'dit " ', "dit « oui ", 'dit " oui '])
      expect(compareMention("dit « oui »", typed), typed).toMatchObject({
        kind: "unfinished",
        left: 1,
      });
    expect(compareMention("dit « oui »", "dit « o ").kind).toBe("different");
  });

  it("shows words with their inner spaces", () => {
    expect(said("Montant : 5", "MONTANT : 5 €")).toBe(
      "Attention aux majuscules : écrivez « MONTANT : », et non « Montant : ».",
    );
    expect(said("lu, ", "lu, « sans réserve » !")).toBe(
      "Il reste 2 mots à écrire ; le prochain est « « sans ».",
    );
  });

  it("reports the case where case and accent both differ", () => {
    expect(said("école ", "École")).toBe(
      "Attention aux majuscules : écrivez « École », et non « école ».",
    );
    expect(said("A Lire", "à lire")).toBe(
      "Attention aux majuscules : écrivez « à », et non « A ».",
    );
    expect(said("Ecole", "École")).toBe("La mention est exacte.");
  });

  it("counts down the words left, the one being typed too", () => {
    expect(said("")).toBe("Il reste 6 mots à écrire ; le prochain est « Lu ».");
    expect(said("Lu et appr")).toBe("Il reste 4 mots à écrire ; le prochain est « approuvé, ».");
    expect(said("Lu et approuvé, bon pour ")).toBe("Il reste un mot à écrire : « accord ».");
    expect(said("Lu et approuvé, bon pour accord")).toBe("La mention est exacte.");
  });

  it("reports the first difference: a letter, its case, its accent, a sign, a word, a space", () => {
    expect(said("Lu et aprouvé")).toBe(
      "Une lettre diffère : écrivez « approuvé, », et non « aprouvé » (la 3ᵉ lettre est « p »).",
    );
    expect(said("Xu")).toBe(
      "Une lettre diffère : écrivez « Lu », et non « Xu » (la 1ʳᵉ lettre est « L »).",
    );
    expect(said("Lu et approuvé, bon pour accords")).toBe(
      "Une lettre diffère : écrivez « accord », et non « accords » (le mot s’arrête avant).",
    );
    expect(said("lu")).toBe("Attention aux majuscules : écrivez « Lu », et non « lu ».");
    expect(said("Lu et approuve, ")).toBe(
      "Attention aux accents : écrivez « approuvé, », et non « approuve, ».",
    );
    expect(said("Lu et approuvé bon")).toBe(
      "Attention à la ponctuation : écrivez « approuvé, », et non « approuvé ».",
    );
    expect(said("Lu approuvé,")).toBe("Il manque le mot « et » après « Lu ».");
    expect(said("et")).toBe("Il manque le mot « Lu » au début.");
    expect(said("Lu bien et")).toBe("Le mot « bien » est de trop après « Lu ».");
    expect(said("Luet")).toBe("Il manque une espace entre « Lu » et « et ».");
    expect(said("Lu et approuvé, bon pour accord définitif")).toBe(
      "Le mot « définitif » est de trop après « accord ».",
    );
  });

  it("reports an incomplete word once the next begins", () => {
    expect(said("Lu et app ")).toBe(
      "Une lettre diffère : écrivez « approuvé, », et non « app » (la 4ᵉ lettre est « r »).",
    );
  });

  it("never accepts another sentence", () => {
    for (const typed of [
      "Lu et approuvé, bon pour accord.",
      "Lu et approuvé, bon pour acord",
      "LU ET APPROUVÉ, BON POUR ACCORD",
      "",
    ])
      expect(compareMention("Lu et approuvé, bon pour accord", typed).kind).not.toBe("same");
  });
});
