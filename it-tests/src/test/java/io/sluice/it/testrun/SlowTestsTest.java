package io.sluice.it.testrun;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlowTestsTest {
  private Path root;

  @BeforeEach
  void checkOut(@TempDir Path directory) {
    root = directory.resolve("main");
  }

  @Test
  void subclassesInheritTheTagInTheirPackageAndInOthers() throws IOException {
    source("one", "a", "Contract", "abstract class Contract", "", true);
    source("one", "a", "FirstTest", "class FirstTest extends Contract", "", false);
    source("one", "a", "QuickTest", "class QuickTest", "", false);
    source("two/inner", "b", "Contract", "public abstract class Contract<T>", "", false);
    source("two/inner", "b", "OtherTest", "class OtherTest extends Contract", "", false);
    source(
        "two/inner",
        "b",
        "LongTest",
        "final class LongTest extends FirstTest",
        "import a.FirstTest;",
        false);
    source("two/inner/target", "c", "CopyTest", "class CopyTest", "", true);

    assertEquals(List.of("a.FirstTest", "b.LongTest"), SlowTests.in(root));
  }

  private void source(
      String module, String inPackage, String name, String declared, String imported, boolean slow)
      throws IOException {
    Path directory = root.resolve(module).resolve("src/test/java").resolve(inPackage);
    Files.createDirectories(directory);
    Files.writeString(
        directory.resolve(name + ".java"),
        "package %s;\n\n%s\n\n%s%s {\n}\n"
            .formatted(inPackage, imported, slow ? "@Tag(\"slow\")\n" : "", declared));
  }
}
