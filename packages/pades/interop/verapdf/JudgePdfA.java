import java.io.File;
import java.util.TreeMap;
import org.verapdf.core.VeraPDFException;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/**
 * Says of each file given whether it is the PDF/A it claims to be: one line for the file, then one for each rule broken. After `--as=ua1`, say, whether it is
 * that instead.
 */
public final class JudgePdfA {
  private static final int FAILURES_KEPT = 100;

  private JudgePdfA() {}

  public static void main(String[] paths) throws Exception {
    VeraGreenfieldFoundryProvider.initialise();
    PDFAFlavour asked = null;
    for (String path : paths) {
      if (path.startsWith("--as=")) asked = PDFAFlavour.byFlavourId(path.substring(5));
      else judge(path, asked);
    }
  }

  private static void judge(String path, PDFAFlavour asked) throws Exception {
    try (PDFAParser parser = Foundries.defaultInstance().createParser(new File(path))) {
      PDFAFlavour flavour = asked == null ? parser.getFlavour() : asked;
      if (flavour == PDFAFlavour.NO_FLAVOUR) {
        System.out.println("NONE\tnone\t" + path);
        return;
      }
      PDFAValidator validator = Foundries.defaultInstance().createValidator(flavour, FAILURES_KEPT, false, false, false);
      ValidationResult result = validator.validate(parser);
      System.out.println((result.isCompliant() ? "PASS" : "FAIL") + "\t" + flavour.getId() + "\t" + path);
      TreeMap<String, String> broken = new TreeMap<>();
      for (TestAssertion assertion : result.getTestAssertions()) {
        if (assertion.getStatus() != TestAssertion.Status.FAILED) continue;
        String rule = assertion.getRuleId().getClause() + "-" + assertion.getRuleId().getTestNumber();
        broken.putIfAbsent(rule, assertion.getMessage() + " @ " + assertion.getLocation().getContext());
      }
      broken.forEach((rule, message) -> System.out.println("RULE\t" + rule + "\t" + message.replaceAll("\\s+", " ")));
    } catch (VeraPDFException error) {
      System.out.println("ERROR\tunreadable\t" + path);
    }
  }
}
