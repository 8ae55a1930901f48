/** Said of a file whose signature would lie over its words. */
export const COVERS_TEXT = "Recouvre du texte";
