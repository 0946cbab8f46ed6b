package io.sluice.it.spark.suites;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Writes what came of a suite as JUnit does, so that whoever counts those counts these. */
final class SuiteReport {
  private SuiteReport() {}

  /** Writes {@code TEST-<suite>.xml}. */
  static void write(Path directory, String suite, List<SuiteTest> tests) throws IOException {
    Path file = directory.resolve("TEST-" + suite + ".xml");
    try (Writer out = Files.newBufferedWriter(file)) {
      XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out);
      xml.writeStartDocument();
      xml.writeStartElement("testsuite");
      xml.writeAttribute("name", suite);
      for (SuiteTest test : tests) {
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", suite);
        xml.writeAttribute("name", legal(test.name()));
        xml.writeAttribute("time", Double.toString(test.durationMs() / 1e3));
        if (test.state() != SuiteTest.State.PASSED) {
          xml.writeStartElement(test.state() == SuiteTest.State.FAILED ? "failure" : "skipped");
          xml.writeAttribute("message", legal(test.reason().lines().findFirst().orElse("")));
          xml.writeCharacters(legal(test.reason()));
          xml.writeEndElement();
        }
        xml.writeEndElement();
      }
      xml.writeEndElement();
      xml.writeEndDocument();
    } catch (XMLStreamException e) {
      throw new IOException("cannot write " + file, e);
    }
  }

  /** Messages quote what a test read; XML has no place for control characters. */
  private static String legal(String text) {
    return text.replaceAll("[^\\t\\n\\r\\x20-\\uD7FF\\uE000-\\uFFFD]", "?");
  }
}
