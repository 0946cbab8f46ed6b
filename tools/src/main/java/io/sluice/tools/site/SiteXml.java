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
 * Reads a file such as {@code yarn-site.xml} as Hadoop's {@code Configuration} does. A property has
 * name and value as elements or as attributes. The last property of a name counts, or the first one
 * that is final. It does not follow {@code xi:include}; that is a finding.
 *
 * <p>Thread contract: one thread. Failure: a file that cannot be read is a finding, never an
 * exception.
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

  /** The properties in the order of the file. */
  List<Property> properties() {
    return properties;
  }

  /** Findings about the file. */
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
                      "this doctor does not follow xi:include",
                      "copy both into one file of the same name, and examine that"));
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

  /** The finding for a file that this process cannot read. */
  static Finding unreadable(Path file, IOException cause) {
    return Finding.broken(
        file.toString(),
        "cannot be read",
        ErrorText.of(cause),
        "make it readable for this doctor's user; Hadoop and Spark must read it, too");
  }

  private void malformed(String cause) {
    findings.add(
        Finding.broken(
            file.toString(),
            "is no valid configuration file",
            cause,
            "correct it; Hadoop refuses it too"));
  }

  /** Throws every error, so that the first one ends the reading. */
  private static final class Thrower implements ErrorHandler {
    @Override
    public void warning(SAXParseException warning) {
      // a warning changes no value
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
