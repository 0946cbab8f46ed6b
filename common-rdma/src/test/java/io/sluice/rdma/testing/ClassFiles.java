package io.sluice.rdma.testing;

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

/** Class files of ours on the class path: for which Java they are, and to which they link. */
public final class ClassFiles {
  /** The version of class files that Java 8 is the first to load. */
  public static final int JAVA_8 = 52;

  private static final Pattern OURS = Pattern.compile("io/sluice/[\\w/$]+");

  private int version;
  private final Set<String> linked = new HashSet<>();

  private ClassFiles() {}

  /**
   * The versions of some classes' files and of all that they link to, one by the other.
   *
   * @return by their names, with slashes
   */
  public static Map<String, Integer> versions(List<String> classNames) throws IOException {
    Deque<String> open = new ArrayDeque<>();
    classNames.forEach(name -> open.add(name.replace('.', '/')));
    Map<String, Integer> versions = new TreeMap<>();
    ClassFiles files = new ClassFiles();
    while (!open.isEmpty()) {
      String name = open.remove();
      files.read(name);
      versions.put(name, files.version);
      files.linked.stream().filter(other -> !versions.containsKey(other)).forEach(open::add);
    }
    return versions;
  }

  /** Class file version, and the names of our classes among its constants. */
  private void read(String name) throws IOException {
    linked.clear();
    try (InputStream file = ClassFiles.class.getResourceAsStream("/" + name + ".class")) {
      if (file == null) {
        throw new IOException("there is no class " + name);
      }
      DataInputStream in = new DataInputStream(file);
      if (in.readInt() != 0xcafebabe) {
        throw new IOException(name + " is in no class file");
      }
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
}
