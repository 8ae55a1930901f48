import com.lowagie.text.Rectangle;
import com.lowagie.text.pdf.PdfDate;
import com.lowagie.text.pdf.PdfDictionary;
import com.lowagie.text.pdf.PdfName;
import com.lowagie.text.pdf.PdfReader;
import com.lowagie.text.pdf.PdfSignature;
import com.lowagie.text.pdf.PdfSignatureAppearance;
import com.lowagie.text.pdf.PdfStamper;
import com.lowagie.text.pdf.PdfString;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.Calendar;
import java.util.HashMap;
import java.util.function.Function;

/** A visible signature by what calls itself com.lowagie: OpenPDF, or iText 2. */
public final class LowagieStamper {

    private static final int ROOM = 8_192;

    private LowagieStamper() {
    }

    public static byte[] sign(byte[] pdf, Calendar at, Function<InputStream, byte[]> cms) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PdfStamper stamper = PdfStamper.createSignature(new PdfReader(pdf), out, '\0', null, true);
        PdfSignatureAppearance appearance = stamper.getSignatureAppearance();
        appearance.setVisibleSignature(new Rectangle(50, 400, 250, 460), 1, "Tiers");
        appearance.setLayer2Text("Tiers");
        appearance.setSignDate(at);
        PdfSignature signature = new PdfSignature(PdfName.ADOBE_PPKLITE, new PdfName("adbe.pkcs7.detached"));
        signature.setDate(new PdfDate(at));
        appearance.setCryptoDictionary(signature);
        HashMap<PdfName, Integer> room = new HashMap<>();
        room.put(PdfName.CONTENTS, 2 * ROOM + 2);
        preClose(appearance, room);
        byte[] value = cms.apply(appearance.getRangeStream());
        byte[] padded = new byte[ROOM];
        System.arraycopy(value, 0, padded, 0, value.length);
        PdfDictionary contents = new PdfDictionary();
        contents.put(PdfName.CONTENTS, new PdfString(padded).setHexWriting(true));
        appearance.close(contents);
        return out.toByteArray();
    }

    /** Takes a Map in one, a HashMap in the other. */
    private static void preClose(PdfSignatureAppearance appearance, HashMap<PdfName, Integer> room) throws Exception {
        for (Method method : PdfSignatureAppearance.class.getMethods())
            if (method.getName().equals("preClose") && method.getParameterCount() == 1) method.invoke(appearance, room);
    }
}
