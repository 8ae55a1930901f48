let loading: Promise<unknown> | undefined;

/** Loads the four handwriting fonts, the first time one of them is to be seen. */
export function loadHands(): Promise<unknown> {
  loading ??= Promise.all([
    import("@fontsource-variable/caveat/index.css"),
    import("@fontsource/la-belle-aurore/400.css"),
    import("@fontsource/playwrite-fr-moderne/400.css"),
    import("@fontsource/herr-von-muellerhoff/400.css"),
  ]);
  return loading;
}
