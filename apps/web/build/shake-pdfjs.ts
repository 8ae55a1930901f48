import type { Plugin } from "vite";

const LIBRARY = /\/pdfjs-dist\/build\/pdf\.mjs$/;
const GLOBALS = /^ *globalThis\.\w+ = \{[^}]*\};$/gm;
const CLASSES = /^class (\w+)(?: extends \w+)? \{\n[^]*?^\}$/gm;
const EDITED = /\binstanceof AnnotationEditor\b/g;

/**
 * Halves the script of the PDF engine: its editors, forms and layers, which no page uses, are left
 * out. The published file keeps them by global objects, by static fields that a bundler may not
 * drop, and by questions whether a stored value comes from an editor, which here none does.
 * Errors: a version of the library in another form.
 */
export function shakePdfjs(): Plugin {
  return {
    name: "paraphe:shake-pdfjs",
    apply: "build",
    transform(code, id) {
      if (!LIBRARY.test(id)) return null;
      const [globals = 0, classes = 0, edited = 0] = [GLOBALS, CLASSES, EDITED].map(
        (part) => code.match(part)?.length,
      );
      if (globals < 2 || classes < 100 || edited < 3)
        throw new Error(
          `pdf.js has another form: expected 2 globals, 100 classes and 3 questions on editors, met ${globals}, ${classes} and ${edited}`,
        );
      const shaken = code
        .replace(GLOBALS, "")
        .replace(CLASSES, (text, name) => `const ${name} = /* @__PURE__ */ (() => ${text})();`)
        .replace(EDITED, "instanceof NeverEdited");
      return { code: `${shaken}\nclass NeverEdited {}\n`, map: null };
    },
  };
}
