package io.sluice.node.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** A file that a build made, asked by paths of its elements; their namespaces do not count. */
public final class XmlFile {
  private final Document document;
  private final XPath path = XPathFactory.newInstance().newXPath();

  public XmlFile(Path file) throws Exception {
    document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
  }

  /** The texts of the elements at a path, in their order; none if there is no such element. */
  public List<String> texts(String elements) throws Exception {
    NodeList nodes = (NodeList) path.evaluate(elements, document, XPathConstants.NODESET);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < nodes.getLength(); i++) {
      texts.add(nodes.item(i).getTextContent().strip());
    }
    return texts;
  }
}
