import type { Result as AnyResult } from "@paraphe/kernel/result";
import type { Problem } from "./problems.ts";

export { failure, success } from "@paraphe/kernel/result";

/** The outcome of a use case: a value, or a refusal (a `Problem` by default). */
export type Result<T, E = Problem> = AnyResult<T, E>;
