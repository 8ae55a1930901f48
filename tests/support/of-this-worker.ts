/** A retry runs in a new worker and finds nothing of the first. */
const WORKER = Number(process.env["TEST_WORKER_INDEX"] ?? "0");

/** Each network has its own rate limits. */
export const NETWORK = `127.0.1.${1 + (WORKER % 254)}`;

/** Names and addresses of this worker alone: all share one service. */
export function ofThisWorker<P extends { readonly email: string; readonly username?: string }>(
  person: P,
): P {
  const [name = "", domain = ""] = person.email.split("@");
  const email = `${name}-${WORKER}@${domain}`;
  return person.username === undefined
    ? { ...person, email }
    : { ...person, email, username: `${person.username}-${WORKER}` };
}

/** Somebody who registers. `fullName`: one first name, then the last name. */
export function personOf(username: string, fullName: string) {
  const [firstName = "", ...rest] = fullName.split(" ");
  return { username, email: `${username}@exemple.fr`, firstName, lastName: rest.join(" ") };
}

export const person = (username: string, fullName: string) =>
  ofThisWorker(personOf(username, fullName));
export const invitee = (name: string, full_name: string) =>
  ofThisWorker({ email: `${name}@exemple.fr`, full_name });

const lastDigits = String(WORKER % 10_000).padStart(4, "0");
const pairs = ["06", "39", "98", lastDigits.slice(0, 2), lastDigits.slice(2)];

/** A number of this worker, of a range that nobody has (ARCEP, decision 2018-0881). */
export const PHONE = {
  typed: pairs.join("."),
  shown: pairs.join(" "),
  destination: `+33${pairs.join("").slice(1)}`,
} as const;
