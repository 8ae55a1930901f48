import eu.europa.esig.dss.diagnostic.DiagnosticData;
import eu.europa.esig.dss.diagnostic.PDFRevisionWrapper;
import eu.europa.esig.dss.diagnostic.SignatureWrapper;
import eu.europa.esig.dss.diagnostic.TimestampWrapper;
import eu.europa.esig.dss.diagnostic.jaxb.XmlObjectModification;
import eu.europa.esig.dss.jaxb.object.Message;
import eu.europa.esig.dss.model.FileDocument;
import eu.europa.esig.dss.pades.validation.PDFDocumentValidator;
import eu.europa.esig.dss.pdf.IPdfObjFactory;
import eu.europa.esig.dss.pdf.PdfDocumentReader;
import eu.europa.esig.dss.pdf.modifications.DefaultPdfDifferencesFinder;
import eu.europa.esig.dss.pdf.modifications.PdfModification;
import eu.europa.esig.dss.pdf.pdfbox.PdfBoxNativeObjectFactory;
import eu.europa.esig.dss.simplereport.SimpleReport;
import eu.europa.esig.dss.spi.DSSUtils;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;
import eu.europa.esig.dss.spi.x509.CommonTrustedCertificateSource;
import eu.europa.esig.dss.validation.reports.Reports;

import java.awt.image.BufferedImage;
import java.awt.image.DataBufferInt;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;

/**
 * Reads lines "pdf TAB trust anchors (DER files, comma between) TAB validation time (ISO 8601)", writes one JSON line for each, in order.
 * A line "sign TAB folder TAB time" signs the folder's files instead (`Makers`): a JVM of its own would take longer to start than to sign them.
 * Nothing is asked online: no AIA, CRL or OCSP source is set, so a file has to prove itself by what it carries.
 */
public final class Judge {

    private final Map<String, CommonTrustedCertificateSource> anchors = new LinkedHashMap<>();
    private final IPdfObjFactory pdfs = new PdfBoxNativeObjectFactory();

    private Judge() {
        pdfs.setPdfDifferencesFinder(new PlainDifferencesFinder());
    }

    public static void main(String[] arguments) throws IOException {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Judge judge = new Judge();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (!line.isBlank()) out.println(toJson(judge.answer(line.split("\t"))));
        }
    }

    private Map<String, Object> answer(String[] request) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("pdf", request[0]);
        try {
            if (request[0].equals("sign")) {
                answer.put("written", Makers.sign(Path.of(request[1]), Date.from(Instant.parse(request[2]))));
                return answer;
            }
            answer.put("signatures", judge(new File(request[0]), anchorsOf(request[1]), Date.from(Instant.parse(request[2]))));
        } catch (Exception | StackOverflowError | OutOfMemoryError failure) {
            answer.put("error", failure.toString());
        }
        return answer;
    }

    private CommonTrustedCertificateSource anchorsOf(String paths) {
        return anchors.computeIfAbsent(paths, files -> {
            CommonTrustedCertificateSource source = new CommonTrustedCertificateSource();
            for (String file : files.split(",")) source.addCertificate(DSSUtils.loadCertificate(new File(file)));
            return source;
        });
    }

    private List<Object> judge(File pdf, CommonTrustedCertificateSource anchors, Date at) {
        CommonCertificateVerifier verifier = new CommonCertificateVerifier();
        verifier.setAIASource(null);
        verifier.setTrustedCertSources(anchors);
        PDFDocumentValidator validator = new PDFDocumentValidator(new FileDocument(pdf));
        validator.setCertificateVerifier(verifier);
        validator.setPdfObjFactory(pdfs);
        validator.setValidationTime(at);
        Reports reports = validator.validateDocument();
        SimpleReport simple = reports.getSimpleReport();
        DiagnosticData diagnostic = reports.getDiagnosticData();
        List<Object> signatures = new ArrayList<>();
        for (SignatureWrapper signature : diagnostic.getSignatures()) {
            Map<String, Object> facts = verdict("signature", signature.getId(), simple);
            facts.put("format", String.valueOf(simple.getSignatureFormat(signature.getId())));
            putRevision(facts, signature.getPDFRevision());
            signatures.add(facts);
        }
        for (TimestampWrapper timestamp : diagnostic.getTimestampList()) {
            if (timestamp.getPDFRevision() == null) continue;
            Map<String, Object> facts = verdict("document_timestamp", timestamp.getId(), simple);
            putRevision(facts, timestamp.getPDFRevision());
            signatures.add(facts);
        }
        return signatures;
    }

    private static Map<String, Object> verdict(String kind, String id, SimpleReport simple) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("kind", kind);
        facts.put("indication", String.valueOf(simple.getIndication(id)));
        facts.put("sub_indication", simple.getSubIndication(id) == null ? null : simple.getSubIndication(id).toString());
        facts.put("errors", texts(simple.getAdESValidationErrors(id)));
        facts.put("warnings", texts(simple.getAdESValidationWarnings(id)));
        return facts;
    }

    private static void putRevision(Map<String, Object> facts, PDFRevisionWrapper revision) {
        facts.put("field", revision.getFirstFieldName());
        facts.put("byte_range_ok", revision.isSignatureByteRangeValid());
        facts.put("dictionary_ok", revision.isPdfSignatureDictionaryConsistent());
        facts.put("overlapping_pages", revision.getPdfAnnotationsOverlapConcernedPages().size());
        facts.put("visual_differences", revision.getPdfVisualDifferenceConcernedPages().size());
        facts.put("page_differences", revision.getPdfPageDifferenceConcernedPages().size());
        facts.put("extension_changes", revision.getPdfExtensionChanges().size());
        facts.put("form_changes", revision.getPdfSignatureOrFormFillChanges().size());
        facts.put("annotation_changes", changes(revision.getPdfAnnotationChanges()));
        facts.put("undefined_changes", changes(revision.getPdfUndefinedChanges()));
    }

    private static List<Object> changes(Collection<XmlObjectModification> modifications) {
        List<Object> list = new ArrayList<>();
        for (XmlObjectModification modification : modifications) list.add(modification.getAction() + " " + modification.getValue());
        return list;
    }

    private static List<Object> texts(Collection<Message> messages) {
        List<Object> list = new ArrayList<>();
        for (Message message : messages) list.add(message.getKey() + ": " + message.getValue());
        return list;
    }

    /** DSS's own comparison of pages, on pictures whose pixels are read from their array: half of its time went into asking a colour model for each. */
    private static final class PlainDifferencesFinder extends DefaultPdfDifferencesFinder {
        @Override
        public List<PdfModification> getVisualDifferences(PdfDocumentReader signed, PdfDocumentReader last) {
            return super.getVisualDifferences(withPlainPictures(signed), withPlainPictures(last));
        }

        private static PdfDocumentReader withPlainPictures(PdfDocumentReader reader) {
            Class<?>[] types = {PdfDocumentReader.class};
            return (PdfDocumentReader) Proxy.newProxyInstance(Judge.class.getClassLoader(), types, (proxy, method, arguments) -> {
                try {
                    Object given = method.invoke(reader, arguments);
                    return given instanceof BufferedImage image && image.getType() == BufferedImage.TYPE_INT_RGB ? new PlainPicture(image) : given;
                } catch (InvocationTargetException failure) {
                    throw failure.getCause();
                }
            });
        }
    }

    private static final class PlainPicture extends BufferedImage {
        private final int[] pixels;
        private final int columns;

        PlainPicture(BufferedImage image) {
            super(image.getColorModel(), image.getRaster(), false, null);
            pixels = ((DataBufferInt) image.getRaster().getDataBuffer()).getData();
            columns = image.getWidth();
        }

        @Override
        public int getRGB(int x, int y) {
            return pixels[y * columns + x] | 0xff000000;
        }
    }

    private static String toJson(Object value) {
        if (value == null || value instanceof Number || value instanceof Boolean) return String.valueOf(value);
        if (value instanceof Map<?, ?> map) {
            List<String> entries = new ArrayList<>();
            map.forEach((key, item) -> entries.add(toJson(key) + ":" + toJson(item)));
            return "{" + String.join(",", entries) + "}";
        }
        if (value instanceof Collection<?> list) {
            List<String> items = new ArrayList<>();
            list.forEach(item -> items.add(toJson(item)));
            return "[" + String.join(",", items) + "]";
        }
        StringBuilder text = new StringBuilder("\"");
        String.valueOf(value).chars().forEach(unit -> {
            if (unit < 0x20 || unit == '"' || unit == '\\' || unit > 0x7e) text.append(String.format("\\u%04x", unit));
            else text.append((char) unit);
        });
        return text.append('"').toString();
    }
}
