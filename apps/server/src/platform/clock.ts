/** A port: tests stop or move the time. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
