import type { Result as AnyResult } from "@paraphe/kernel/result";
import type { Problem } from "./problems.ts";

export { failure, success } from "@paraphe/kernel/result";

/** The outcome of a use case: a value, or a refusal, which is a `Problem` unless told. */
export type Result<T, E = Problem> = AnyResult<T, E>;
