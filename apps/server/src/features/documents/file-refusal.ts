import { type Problem, type ProblemCode, problem, problemSentence } from "@paraphe/contracts";

/** Gives the refusal of one file among several: its sentence also stands under `files`, and `file_name` says which. */
export function fileRefusal(name: string, code: ProblemCode): Problem {
  return problem(code, { errors: { files: [problemSentence(problem(code))] }, extensions: { file_name: name } });
}
