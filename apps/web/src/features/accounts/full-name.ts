import type { User } from "@paraphe/contracts";

/** Gives a person's name as it is signed; the user name of an account without one. */
export function fullName({
  first_name: firstName,
  last_name: lastName,
  username,
}: Pick<User, "first_name" | "last_name" | "username">): string {
  return `${firstName} ${lastName}`.trim() || username;
}
