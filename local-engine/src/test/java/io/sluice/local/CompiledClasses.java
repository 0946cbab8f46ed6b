package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;

/** Classes that somebody who runs a jar has, and that this process does not have by itself. */
public final class CompiledClasses {
  private CompiledClasses() {}

  /** Compiles sources, by the names of their classes, into a directory, and loads from there. */
  public static URLClassLoader of(Path directory, Map<String, String> sources) throws IOException {
    Path classes = directory.resolve("classes");
    List<String> arguments =
        new ArrayList<>(
            List.of("-cp", System.getProperty("java.class.path"), "-d", classes.toString()));
    for (Map.Entry<String, String> source : sources.entrySet()) {
      Path file = directory.resolve(source.getKey() + ".java");
      Files.writeString(file, source.getValue());
      arguments.add(file.toString());
    }
    assertEquals(
        0,
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new)));
    return new URLClassLoader(
        new URL[] {classes.toUri().toURL()}, CompiledClasses.class.getClassLoader());
  }
}
