/** Gives an e-mail address that its owner recognises and nobody else learns: `c•••@exemple.fr`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  if (at < 1) return "•••";
  const [first = ""] = email.slice(0, at);
  return `${first}•••${email.slice(at)}`;
}

/** Gives the end of a phone number only: `•• •• •• 45 67`. */
export function maskPhone(phone: string): string {
  const digits = phone.replace(/\D/g, "").slice(-4);
  return `•• •• •• ${digits.slice(0, 2)} ${digits.slice(2)}`.trim();
}
