/** What one look found. `sentence`: in French, what is so and, where something is wrong, what to do. */
export type Finding = { readonly state: "good" | "odd" | "bad"; readonly subject: string; readonly sentence: string };

export const good = (subject: string, sentence: string): Finding => ({ state: "good", subject, sentence });
export const odd = (subject: string, sentence: string): Finding => ({ state: "odd", subject, sentence });
export const bad = (subject: string, sentence: string): Finding => ({ state: "bad", subject, sentence });
