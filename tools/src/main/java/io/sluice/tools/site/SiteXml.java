package io.sluice.tools.site;

import io.sluice.rdma.text.ErrorText;
import io.sluice.tools.doctor.Finding;
import io.sluice.tools.site.SiteConf.Property;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.ErrorHandler;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;

/**
 * Reads a file such as {@code yarn-site.xml} as Hadoop's {@code Configuration} does: properties
 * with name and value, as elements or as attributes, of which the last of a name counts, or the
 * first one that is final. It follows no {@code xi:include}, and says so.
 *
 * <p>Failure: what cannot be read is a finding, never an exception.
 */
final class SiteXml {
  private final Path file;
  private final List<Property> properties = new ArrayList<>();
  private final List<Finding> findings = new ArrayList<>();

  private SiteXml(Path file) {
    this.file = file;
  }

  /** Reads a file that exists. */
  static SiteXml read(Path file) {
    SiteXml site = new SiteXml(file);
    try (InputStream content = Files.newInputStream(file)) {
      Element root = parse(content).getDocumentElement();
      if (root.getTagName().equals("configuration")) {
        site.take(root);
      } else {
        site.malformed("its root is <%s>, not <configuration>".formatted(root.getTagName()));
      }
    } catch (SAXParseException e) {
      site.malformed("line %s: %s".formatted(e.getLineNumber(), e.getMessage()));
    } catch (CharConversionException | SAXException | ParserConfigurationException e) {
      site.malformed(ErrorText.of(e));
    } catch (IOException e) {
      site.findings.add(unreadable(file, e));
    }
    return site;
  }

  /** In the order of the file. */
  List<Property> properties() {
    return properties;
  }

  /** What could not be read. */
  List<Finding> findings() {
    return findings;
  }

  private static Document parse(InputStream content)
      throws IOException, SAXException, ParserConfigurationException {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
    factory.setAttribute(XMLConstants.ACCESS_EXTERNAL_DTD, "");
    DocumentBuilder builder = factory.newDocumentBuilder();
    builder.setErrorHandler(new Thrower()); // the JDK's own prints to the standard error
    return builder.parse(content);
  }

  private void take(Element parent) {
    for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element) {
        switch (element.getTagName()) {
          case "property" -> add(element);
          case "configuration" -> take(element);
          case "xi:include", "include" ->
              findings.add(
                  Finding.problem(
                      file.toString(),
                      "includes %s, which was not read".formatted(element.getAttribute("href")),
                      "this doctor follows no xi:include",
                      "copy both into one file of the same name, and look at that"));
          default -> {} // as Hadoop does
        }
      }
    }
  }

  private void add(Element property) {
    String name = part(property, "name");
    String value = part(property, "value");
    if (!name.isEmpty() && !value.isEmpty()) {
      properties.add(new Property(name, value, file, part(property, "final").equals("true")));
    }
  }

  private static String part(Element property, String name) {
    for (Node node = property.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element && element.getTagName().equals(name)) {
        return element.getTextContent().strip();
      }
    }
    return property.getAttribute(name).strip();
  }

  /** Of a file whose bytes this process does not get. */
  static Finding unreadable(Path file, IOException cause) {
    return Finding.broken(
        file.toString(),
        "cannot be read",
        ErrorText.of(cause),
        "let this doctor's user read it, as Hadoop's and Spark's must");
  }

  private void malformed(String cause) {
    findings.add(
        Finding.broken(
            file.toString(),
            "is no configuration file",
            cause,
            "correct it; Hadoop refuses it too"));
  }

  /** Every error ends the reading. */
  private static final class Thrower implements ErrorHandler {
    @Override
    public void warning(SAXParseException warning) {
      // nothing that changes a value
    }

    @Override
    public void error(SAXParseException error) throws SAXException {
      throw error;
    }

    @Override
    public void fatalError(SAXParseException error) throws SAXException {
      throw error;
    }
  }
}
