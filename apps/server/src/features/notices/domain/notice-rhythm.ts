/** When an account's owner wants to hear of what is not urgent. */
export type NoticeRhythm = {
  /** Nothing between 20 h and 8 h. */
  readonly quietHours: boolean;
  /** One mail a day instead of one for each event. */
  readonly dailySummary: boolean;
};
