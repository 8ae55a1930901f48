/** Problems that make validation INDETERMINATE (EN 319 102-1 §5.1.3). */
const NOT_VALIDATED: Readonly<Record<string, string>> = {
  encrypted:
    "Ce fichier est chiffré\u00a0: ses signatures ne peuvent pas être vérifiées telles quelles. Demandez-en un exemplaire non chiffré.",
  pdf_encrypted:
    "Ce fichier est protégé par un mot de passe\u00a0: ses signatures ne peuvent pas être lues. Demandez-en un exemplaire non protégé.",
  pdf_encrypted_for_recipients:
    "Ce fichier est chiffré pour des destinataires précis\u00a0: ses signatures ne peuvent pas être lues. Demandez-en un exemplaire non chiffré.",
  pdf_too_complex:
    "Vérifier ce fichier demande plus de calculs qu’il n’en est permis ici\u00a0: rien ne dit s’il a été modifié. Vérifiez-le avec un autre logiciel.",
};

/** Says why it was impossible, and what to do; null when another problem exists. */
export function notValidatedSentence(problems: readonly string[]): string | null {
  return problems.every((problem) => problem in NOT_VALIDATED)
    ? (problems.flatMap((problem) => NOT_VALIDATED[problem] ?? [])[0] ?? null)
    : null;
}
