import eu.europa.esig.dss.enumerations.DigestAlgorithm;
import eu.europa.esig.dss.enumerations.SignatureAlgorithm;
import eu.europa.esig.dss.enumerations.SignatureLevel;
import eu.europa.esig.dss.model.DSSDocument;
import eu.europa.esig.dss.model.InMemoryDocument;
import eu.europa.esig.dss.model.SignatureValue;
import eu.europa.esig.dss.model.x509.CertificateToken;
import eu.europa.esig.dss.pades.PAdESSignatureParameters;
import eu.europa.esig.dss.pades.SignatureImageParameters;
import eu.europa.esig.dss.pades.SignatureImageTextParameters;
import eu.europa.esig.dss.pades.signature.PAdESService;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;

import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.interactive.digitalsignature.PDSignature;
import org.bouncycastle.asn1.cms.AttributeTable;
import org.bouncycastle.asn1.cms.CMSAttributes;
import org.bouncycastle.asn1.cms.Time;
import org.bouncycastle.asn1.DERSet;
import org.bouncycastle.cert.jcajce.JcaCertStore;
import org.bouncycastle.cms.CMSProcessableByteArray;
import org.bouncycastle.cms.CMSSignedDataGenerator;
import org.bouncycastle.cms.DefaultSignedAttributeTableGenerator;
import org.bouncycastle.cms.jcajce.JcaSignerInfoGeneratorBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Signs each `*.in.pdf` of a folder as the Java libraries do, as `<name>.<maker>.pdf`, with the RSA key and certificates that lie there as DER:
 * `signer.key`, `signer.crt`, `ca.crt`.
 */
final class Makers {

    /** What a signature covers goes in, its CMS comes out. */
    private final Function<InputStream, byte[]> cms = this::cmsOver;
    private final Date at;
    private final PrivateKey key;
    private final X509Certificate certificate;
    private final X509Certificate authority;

    private interface Maker {
        byte[] sign(byte[] pdf) throws Exception;
    }

    private Makers(Path folder, Date at) throws Exception {
        this.at = at;
        key = KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(Files.readAllBytes(folder.resolve("signer.key"))));
        certificate = certificateOf(folder.resolve("signer.crt"));
        authority = certificateOf(folder.resolve("ca.crt"));
    }

    static List<Object> sign(Path folder, Date at) throws Exception {
        Makers makers = new Makers(folder, at);
        Map<String, Maker> all = Map.of(
            "dss", makers::withDss,
            "pdfbox", makers::withPdfBox,
            "openpdf", pdf -> makers.withLowagie("openpdf-", pdf),
            "itext2", pdf -> makers.withLowagie("itext-", pdf));
        List<Object> written = new ArrayList<>();
        for (File file : folder.toFile().listFiles((parent, name) -> name.endsWith(".in.pdf"))) {
            byte[] pdf = Files.readAllBytes(file.toPath());
            for (Map.Entry<String, Maker> maker : all.entrySet()) {
                String name = file.getName().replace(".in.pdf", "." + maker.getKey() + ".pdf");
                Files.write(folder.resolve(name), maker.getValue().sign(pdf));
                written.add(name);
            }
        }
        return written;
    }

    private byte[] withDss(byte[] pdf) throws Exception {
        PAdESSignatureParameters parameters = new PAdESSignatureParameters();
        parameters.setSignatureLevel(SignatureLevel.PAdES_BASELINE_B);
        parameters.setDigestAlgorithm(DigestAlgorithm.SHA256);
        parameters.setSigningCertificate(new CertificateToken(certificate));
        parameters.setCertificateChain(new CertificateToken(certificate), new CertificateToken(authority));
        parameters.bLevel().setSigningDate(at);
        parameters.setImageParameters(visibleSign());
        DSSDocument document = new InMemoryDocument(pdf);
        PAdESService service = new PAdESService(new CommonCertificateVerifier());
        Signature value = Signature.getInstance("SHA256withRSA");
        value.initSign(key);
        value.update(service.getDataToSign(document, parameters).getBytes());
        DSSDocument signed = service.signDocument(document, parameters, new SignatureValue(SignatureAlgorithm.RSA_SHA256, value.sign()));
        return signed.openStream().readAllBytes();
    }

    private static SignatureImageParameters visibleSign() {
        SignatureImageParameters image = new SignatureImageParameters();
        image.getFieldParameters().setOriginX(50);
        image.getFieldParameters().setOriginY(400);
        image.setTextParameters(new SignatureImageTextParameters());
        image.getTextParameters().setText("Tiers");
        return image;
    }

    private byte[] withPdfBox(byte[] pdf) throws Exception {
        PDSignature signature = new PDSignature();
        signature.setFilter(PDSignature.FILTER_ADOBE_PPKLITE);
        signature.setSubFilter(PDSignature.SUBFILTER_ADBE_PKCS7_DETACHED);
        signature.setName("Tiers");
        signature.setSignDate(calendar());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (PDDocument document = Loader.loadPDF(pdf)) {
            document.addSignature(signature, cms::apply);
            document.saveIncremental(out);
        }
        return out.toByteArray();
    }

    /** OpenPDF came out of iText 2, and has its names: each is loaded apart, and is given what it signs with in Java's own types. */
    private byte[] withLowagie(String jar, byte[] pdf) throws Exception {
        List<URL> places = new ArrayList<>();
        for (String place : System.getProperty("java.class.path").split(File.pathSeparator)) {
            File file = new File(place);
            if (file.isDirectory() || file.getName().startsWith(jar)) places.add(urlOf(file));
        }
        try (URLClassLoader apart = new URLClassLoader(places.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Class<?> stamper = apart.loadClass("LowagieStamper");
            return (byte[]) stamper.getMethod("sign", byte[].class, Calendar.class, Function.class).invoke(null, pdf, calendar(), cms);
        }
    }

    private byte[] cmsOver(InputStream covered) {
        try {
            AttributeTable signed = new AttributeTable(new Hashtable<>(Map.of(
                CMSAttributes.signingTime,
                new org.bouncycastle.asn1.cms.Attribute(CMSAttributes.signingTime, new DERSet(new Time(at))))));
            CMSSignedDataGenerator generator = new CMSSignedDataGenerator();
            generator.addCertificates(new JcaCertStore(List.of(certificate, authority)));
            generator.addSignerInfoGenerator(new JcaSignerInfoGeneratorBuilder(new JcaDigestCalculatorProviderBuilder().build())
                .setSignedAttributeGenerator(new DefaultSignedAttributeTableGenerator(signed))
                .build(new JcaContentSignerBuilder("SHA256withRSA").build(key), certificate));
            return generator.generate(new CMSProcessableByteArray(covered.readAllBytes()), false).getEncoded("DER");
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
    }

    private Calendar calendar() {
        Calendar calendar = new GregorianCalendar();
        calendar.setTime(at);
        return calendar;
    }

    private static URL urlOf(File file) throws MalformedURLException {
        return file.toURI().toURL();
    }

    private static X509Certificate certificateOf(Path path) throws Exception {
        try (InputStream in = Files.newInputStream(path)) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }
}
