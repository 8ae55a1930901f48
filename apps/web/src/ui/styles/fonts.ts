// Instrument Sans (interface), Spectral (titles, counters), IBM Plex Mono (hashes). The four typed hands load when they are first shown.
import "@fontsource-variable/instrument-sans/wght.css";
import "@fontsource/spectral/latin-400.css";
import "@fontsource/spectral/latin-400-italic.css";
// Names of all of Europe stand in titles; the letters beyond ours come with the first of them.
import "@fontsource/spectral/500.css";
import "@fontsource/spectral/latin-600.css";
import "@fontsource/ibm-plex-mono/latin-400.css";
import "@fontsource/ibm-plex-mono/latin-500.css";
