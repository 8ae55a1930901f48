import { type Problem, problemSentence } from "@paraphe/contracts";

/** Gives the refusal of one file among several: its sentence also stands under `files`, and `file_name` says which. */
export function fileRefusal(name: string, refusal: Problem): Problem {
  return { ...refusal, errors: { files: [problemSentence(refusal)] }, extensions: { ...refusal.extensions, file_name: name } };
}
