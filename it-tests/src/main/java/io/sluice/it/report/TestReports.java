package io.sluice.it.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * What Surefire and Failsafe wrote about the tests of all modules.
 *
 * @param passed how many tests passed
 * @param failed name of each test that failed, with its message
 * @param skipped name of each test that was skipped, with the reason
 */
public record TestReports(int passed, List<String> failed, List<String> skipped) {

  /** Reads the reports that Maven wrote below a directory since an instant. */
  public static TestReports read(Path root, Instant since) {
    return of(reports(root, ".*/(surefire|failsafe)-reports/TEST-[^/]*\\.xml", since));
  }

  /** Reads all reports in a directory, of whatever runner. */
  public static TestReports in(Path directory) {
    return of(reports(directory, ".*/TEST-[^/]*\\.xml", Instant.EPOCH));
  }

  private static TestReports of(List<Path> reports) {
    List<String> failed = new ArrayList<>();
    List<String> skipped = new ArrayList<>();
    int all = 0;
    for (Path report : reports) {
      NodeList tests = parse(report);
      all += tests.getLength();
      for (int i = 0; i < tests.getLength(); i++) {
        Element test = (Element) tests.item(i);
        message(test, "failure").or(() -> message(test, "error")).ifPresent(failed::add);
        message(test, "skipped").ifPresent(skipped::add);
      }
    }
    return new TestReports(all - failed.size() - skipped.size(), failed, skipped);
  }

  private static List<Path> reports(Path root, String pattern, Instant since) {
    try (Stream<Path> files =
        Files.find(
            root,
            5,
            (file, attributes) ->
                file.toString().matches(pattern)
                    && !attributes.lastModifiedTime().toInstant().isBefore(since))) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look for test reports below " + root, e);
    }
  }

  private static NodeList parse(Path report) {
    try {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(report.toFile())
          .getElementsByTagName("testcase");
    } catch (IOException | SAXException | ParserConfigurationException e) {
      throw new IllegalStateException("cannot read the test report " + report, e);
    }
  }

  private static Optional<String> message(Element test, String outcome) {
    NodeList found = test.getElementsByTagName(outcome);
    if (found.getLength() == 0) {
      return Optional.empty();
    }
    return Optional.of(
        "%s.%s: %s"
            .formatted(
                test.getAttribute("classname"),
                test.getAttribute("name"),
                reason((Element) found.item(0))));
  }

  /** The message; aborted tests have it only in the first line of their trace. */
  private static String reason(Element outcome) {
    String message = outcome.getAttribute("message");
    String text = message.isBlank() ? outcome.getTextContent() : message;
    return text.strip()
        .lines()
        .findFirst()
        .map(line -> line.replaceFirst("^org\\.opentest4j\\.\\w+: ", ""))
        .orElse("no reason given");
  }
}
