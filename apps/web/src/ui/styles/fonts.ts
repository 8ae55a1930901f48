// Interface, titles, hashes. The four handwriting fonts load when first shown.
import "@fontsource-variable/instrument-sans/wght.css";
import "@fontsource/spectral/latin-400.css";
import "@fontsource/spectral/latin-400-italic.css";
// Latin Extended, for names of all of Europe, loads at its first character.
import "@fontsource/spectral/500.css";
import "@fontsource/spectral/latin-600.css";
import "@fontsource/ibm-plex-mono/latin-400.css";
import "@fontsource/ibm-plex-mono/latin-500.css";
