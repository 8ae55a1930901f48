import { expect, test } from "vitest";
import { keyboardFor } from "./keyboard-for.ts";

test.each([
  ["Téléphone", "tel"],
  ["Votre numéro de telephone portable", "tel"],
  ["Tél.", "tel"],
  ["E-mail", "email"],
  ["Adresse électronique du locataire", "email"],
  ["Code postal", "numeric"],
  ["SIRET de l’entreprise", "numeric"],
  // Letters may be asked for: an address, a name of a shop, a reference.
  ["Adresse", "text"],
  ["Téléphonie", "text"],
  ["Numéro de contrat", "text"],
  ["Somme en toutes lettres", "text"],
  ["", "text"],
])("a field called « %s » is typed with the keyboard %s", (label, keyboard) => {
  expect(keyboardFor(label)).toBe(keyboard);
});
