package io.sluice.it.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;

/** A function that a user of Pig has written, {@code user.Twice}, in a jar of its own. */
final class PigFunction {
  private static final String SOURCE =
      """
      package user;

      public final class Twice extends org.apache.pig.EvalFunc<String> {
        @Override
        public String exec(org.apache.pig.data.Tuple of) throws java.io.IOException {
          return Part.of(of) + "/" + Part.of(of);
        }

        static final class Part {
          static Object of(org.apache.pig.data.Tuple tuple) throws java.io.IOException {
            return tuple.get(0);
          }
        }
      }
      """;

  private PigFunction() {}

  /** Compiles it. */
  static Path jar(Path directory, String classPath) throws IOException {
    Path source = Files.createDirectories(directory).resolve("Twice.java");
    Files.writeString(source, SOURCE);
    Path classes = directory.resolve("classes");
    assertEquals(
        0,
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-cp", classPath, "-d", classes.toString(), source.toString()));
    Path jar = directory.resolve("twice.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (String name : new String[] {"user/Twice.class", "user/Twice$Part.class"}) {
        out.putNextEntry(new JarEntry(name));
        Files.copy(classes.resolve(name), out);
      }
    }
    return jar;
  }
}
