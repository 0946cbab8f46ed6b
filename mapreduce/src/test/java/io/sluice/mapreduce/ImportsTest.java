package io.sluice.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What this module is for: collecting and merging in any process. Hadoop's own tasks link classes
 * of YARN, so the class path cannot say it.
 */
class ImportsTest {
  private static final Path SOURCES = Path.of("src/main/java").toAbsolutePath();

  private static final Pattern FOREIGN =
      Pattern.compile(
          "\\b(org\\.apache\\.hadoop\\.yarn|io\\.sluice\\.node|io\\.sluice\\.hadoop|javax?\\.net)\\b"
              + "|\\bjava\\.nio\\.channels\\.(\\w*Socket|Datagram|Network|Selec|spi\\b|\\*)");

  private static boolean namesOne(String source) {
    return FOREIGN.matcher(source).find();
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void nothingOfAServiceASocketOrYarn() throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      List<Path> sources = files.filter(file -> file.toString().endsWith(".java")).toList();
      assertFalse(sources.isEmpty(), "there are sources in " + SOURCES);
      assertEquals(List.of(), sources.stream().filter(file -> namesOne(text(file))).toList());
    }
  }

  @Test
  void theCheckSeesWhatItIsFor() {
    assertTrue(namesOne("import org.apache.hadoop.yarn.util.Records;"));
    assertTrue(namesOne("import io.sluice.node.client.NodeReader;"));
    assertTrue(namesOne("import static io.sluice.hadoop.SluiceCounter.GROUP;"));
    assertTrue(namesOne("java.net.URI uri;"));
    assertTrue(namesOne("import javax.net.SocketFactory;"));
    assertTrue(namesOne("import java.nio.channels.SocketChannel;"));
    assertTrue(namesOne("import java.nio.channels.AsynchronousServerSocketChannel;"));
    assertTrue(namesOne("import java.nio.channels.DatagramChannel;"));
    assertTrue(namesOne("import java.nio.channels.spi.SelectorProvider;"));
    assertTrue(namesOne("import java.nio.channels.*;"));
    assertFalse(namesOne("import java.nio.channels.FileChannel;"));
    assertFalse(namesOne("import org.apache.hadoop.mapred.JobConf; import java.nio.file.Path;"));
  }
}
