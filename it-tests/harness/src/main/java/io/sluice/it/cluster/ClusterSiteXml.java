package io.sluice.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** Reads and writes Hadoop's {@code *-site.xml} files: name and value of each property. */
public final class ClusterSiteXml {
  private static final List<String> ALL =
      List.of("core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml");

  private ClusterSiteXml() {}

  public static Map<String, String> read(Path file) {
    try {
      NodeList properties =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(file.toFile())
              .getElementsByTagName("property");
      Map<String, String> values = new LinkedHashMap<>();
      for (int i = 0; i < properties.getLength(); i++) {
        Element property = (Element) properties.item(i);
        values.put(text(property, "name"), text(property, "value"));
      }
      return values;
    } catch (IOException | SAXException | ParserConfigurationException e) {
      throw new ClusterException("cannot read the site file " + file, e);
    }
  }

  public static void write(Path file, Map<String, String> values) {
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\"?>\n<configuration>\n");
    values.forEach(
        (name, value) ->
            xml.append(
                "  <property><name>%s</name><value>%s</value></property>\n"
                    .formatted(escape(name), escape(value))));
    try {
      Files.writeString(file, xml.append("</configuration>\n"));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the site file " + file, e);
    }
  }

  /** Every file gets every property: which daemon reads which is then no matter. */
  static void writeAll(Path conf, Map<String, String> values) {
    ALL.forEach(file -> write(conf.resolve(file), values));
  }

  private static String text(Element property, String tag) {
    return property.getElementsByTagName(tag).item(0).getTextContent().strip();
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
