package io.sluice.hadoop.entry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.collect.SluiceMapOutputCollector;
import io.sluice.hadoop.service.SluiceShuffleService;
import io.sluice.hadoop.shuffle.SluiceShuffleConsumer;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What Hadoop loads by name, and every class of ours that it links to, loads on Java 8. */
final class EntryBytecodeTest {
  private static final int JAVA_8 = 52;
  private static final Pattern OURS = Pattern.compile("io/sluice/[\\w/$]+");

  private int version;
  private final Set<String> linked = new HashSet<>();

  /** Class file version, and the names of our classes among its constants. */
  private void read(String name) throws IOException {
    linked.clear();
    try (InputStream file = getClass().getResourceAsStream("/" + name + ".class");
        DataInputStream in = new DataInputStream(file)) {
      assertEquals(0xcafebabe, in.readInt());
      in.readUnsignedShort();
      version = in.readUnsignedShort();
      int constants = in.readUnsignedShort();
      for (int i = 1; i < constants; i++) {
        int tag = in.readUnsignedByte();
        switch (tag) {
          case 1 -> names(in.readUTF());
          case 3, 4, 9, 10, 11, 12, 17, 18 -> in.readInt();
          case 5, 6 -> {
            in.readLong();
            i++;
          }
          case 7, 8, 16, 19, 20 -> in.readUnsignedShort();
          case 15 -> in.readNBytes(3);
          default -> throw new IOException("constant of kind " + tag);
        }
      }
    }
  }

  /**
   * Of classes, descriptors and signatures alike; the dotted names of what loads later are none.
   */
  private void names(String constant) {
    Matcher matcher = OURS.matcher(constant);
    while (matcher.find()) {
      linked.add(matcher.group());
    }
  }

  @Test
  void everyClassThatAnEntryLinksToIsForJava8() throws IOException {
    Deque<String> open = new ArrayDeque<>();
    List.of(SluiceMapOutputCollector.class, SluiceShuffleConsumer.class, SluiceShuffleService.class)
        .forEach(entry -> open.add(entry.getName().replace('.', '/')));
    Map<String, Integer> versions = new TreeMap<>();
    while (!open.isEmpty()) {
      String name = open.remove();
      read(name);
      versions.put(name, version);
      linked.stream().filter(other -> !versions.containsKey(other)).forEach(open::add);
    }
    assertTrue(versions.containsKey("io/sluice/hadoop/SluiceCounter"), versions.toString());
    versions.values().removeIf(found -> found <= JAVA_8);
    assertEquals(Map.of(), versions);
  }
}
