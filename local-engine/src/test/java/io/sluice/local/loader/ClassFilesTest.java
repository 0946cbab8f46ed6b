package io.sluice.local.loader;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.CompiledClasses;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.ApplicationClassLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class ClassFilesTest {
  private static final String SAYS =
      "package brought; public class Says { public static final String WHAT = \"%s\".trim(); }";
  private static final String NAME = "brought.Says";

  @TempDir private Path directory;

  private URLClassLoader directoryThatSays(String what) throws IOException {
    return CompiledClasses.of(directory, Map.of("Says", SAYS.formatted(what)));
  }

  private Path jarThatSays(String what, String version) throws IOException {
    directoryThatSays(what).close();
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
    Path jar = directory.resolve(what + ".jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest)) {
      out.putNextEntry(new JarEntry("brought/Says.class"));
      Files.copy(directory.resolve("classes/brought/Says.class"), out);
    }
    Files.delete(directory.resolve("classes/brought/Says.class"));
    return jar;
  }

  private static URLClassLoader loader(ClassLoader parent, Path jar) throws IOException {
    return new URLClassLoader(new URL[] {jar.toUri().toURL()}, parent);
  }

  private static Class<?> ofSlot(ClassLoader parent) throws ClassNotFoundException {
    Configuration job = new Configuration(false);
    job.setClassLoader(parent);
    return new SlotLoader(job).loadClass(NAME);
  }

  private static Object said(Class<?> by) throws ReflectiveOperationException {
    return by.getField("WHAT").get(null);
  }

  @Test
  void slotsDefineClassesOfTheirOwnOfOneFile() throws Exception {
    try (URLClassLoader client = loader(getClass().getClassLoader(), jarThatSays("once", "7"))) {
      ClassFiles files = ClassFiles.of(client);
      assertSame(files.find(NAME).bytes(), files.find(NAME).bytes());
      assertSame(files, ClassFiles.of(client));
      assertNotSame(ofSlot(client), ofSlot(client));
      assertEquals("once", said(ofSlot(client)));
      assertEquals("7", ofSlot(client).getPackage().getImplementationVersion());
    }
  }

  @Test
  void theNextJobHasTheFilesOfItsClient() throws Exception {
    ClassLoader engine = getClass().getClassLoader();
    try (URLClassLoader client = loader(engine, jarThatSays("client", "1"));
        URLClassLoader job = loader(client, jarThatSays("job", "1"));
        URLClassLoader next = loader(client, jarThatSays("next", "1"))) {
      assertSame(ClassFiles.of(job).find(NAME), ClassFiles.of(next).find(NAME));
      assertEquals("client", said(ofSlot(next)));
    }
  }

  @Test
  void whatOneJobBringsIsNotTheNextOnes() throws Exception {
    ClassLoader engine = getClass().getClassLoader();
    try (URLClassLoader job = loader(engine, jarThatSays("job", "1"));
        URLClassLoader next = loader(engine, jarThatSays("next", "2"))) {
      for (int i = 0; i < 2; i++) {
        assertEquals("job", said(ofSlot(job)));
        assertEquals("next", said(ofSlot(next)));
        assertEquals("2", ofSlot(next).getPackage().getImplementationVersion());
      }
    }
  }

  @Test
  void aLoaderWithAnOrderOfItsOwnIsAsked() throws Exception {
    ClassLoader engine = getClass().getClassLoader();
    try (URLClassLoader client = loader(engine, jarThatSays("client", "1"));
        URLClassLoader job =
            new ApplicationClassLoader(
                new URL[] {jarThatSays("job", "1").toUri().toURL()}, client, List.of())) {
      assertEquals("client", said(ofSlot(client)));
      assertEquals("job", said(ofSlot(job)));
    }
  }

  @Test
  void aFileThatHasChangedIsReadAgain() throws Exception {
    try (URLClassLoader client = directoryThatSays("this")) {
      assertEquals("this", said(ofSlot(client)));
      directoryThatSays("that, which is longer").close();
      assertEquals("that, which is longer", said(ofSlot(client)));
      Files.delete(directory.resolve("classes/brought/Says.class"));
      assertNull(ClassFiles.of(client).find(NAME));
    }
  }

  /** As of a client that lives long, while its program is built anew. */
  @Test
  void aJarThatHasChangedIsReadAgain() throws Exception {
    Path jar = jarThatSays("this", "1");
    try (URLClassLoader client = loader(getClass().getClassLoader(), jar)) {
      assertEquals("this", said(ofSlot(client)));
      Path built = jarThatSays("that, which is longer", "2");
      Files.write(jar, Files.readAllBytes(built));
      assertEquals("that, which is longer", said(ofSlot(client)));
      assertEquals("2", ofSlot(client).getPackage().getImplementationVersion());
      assertSame(ClassFiles.of(client).find(NAME), ClassFiles.of(client).find(NAME));
    }
  }

  @Test
  void classesOfAJarThatHasGoneAreKept() throws Exception {
    Path jar = jarThatSays("once", "1");
    try (URLClassLoader client = loader(getClass().getClassLoader(), jar)) {
      assertEquals("once", said(ofSlot(client)));
      Files.delete(jar);
      assertEquals("once", said(ofSlot(client)));
    }
  }

  /** Java takes them. */
  @ParameterizedTest
  @ValueSource(strings = {"file:%s/", "file://localhost%s/", "file://LOCALHOST%s/"})
  void urlsThatAreNoUrisOfFilesAreFound(String form) throws Exception {
    Path odd = Files.createDirectory(directory.resolve("an ödd+place"));
    Map<String, String> sources = Map.of("Says", SAYS.formatted("odd"));
    CompiledClasses.of(odd, sources).close();
    URL[] urls = {new URL(form.formatted(odd.resolve("classes")))};
    try (URLClassLoader client = new URLClassLoader(urls, getClass().getClassLoader())) {
      assertEquals("odd", said(client.loadClass(NAME)));
      assertEquals("odd", said(ofSlot(client)));
      assertSame(ClassFiles.of(client).find(NAME), ClassFiles.of(client).find(NAME));
      assertEquals(
          urls[0].toExternalForm(),
          ofSlot(client).getProtectionDomain().getCodeSource().getLocation().toExternalForm());
      CompiledClasses.of(odd, Map.of("Says", SAYS.formatted("odd, and longer"))).close();
      assertEquals("odd, and longer", said(ofSlot(client)));
    }
  }

  @Test
  void placesWithSpacesAndUmlautsAreFound() throws Exception {
    Path odd = Files.createDirectory(directory.resolve("an ödd %20 place"));
    try (URLClassLoader client = CompiledClasses.of(odd, Map.of("Says", SAYS.formatted("odd")))) {
      assertEquals("odd", said(ofSlot(client)));
      assertSame(ClassFiles.of(client).find(NAME), ClassFiles.of(client).find(NAME));
      assertEquals(
          client.loadClass(NAME).getProtectionDomain().getCodeSource().getLocation(),
          ofSlot(client).getProtectionDomain().getCodeSource().getLocation());
    }
  }

  @Test
  void theBytesAreThoseOfTheFile() throws Exception {
    byte[] expected;
    try (InputStream in = Test.class.getResourceAsStream("Test.class")) {
      expected = in.readAllBytes();
    }
    assertArrayEquals(
        expected, ClassFiles.of(getClass().getClassLoader()).find(Test.class.getName()).bytes());
    assertNull(ClassFiles.of(getClass().getClassLoader()).find("not.there.At.all"));
  }

  @Test
  void itKeepsNoLoader() throws Exception {
    WeakReference<ClassLoader> used = used();
    long deadlineNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (used.get() != null) {
      assertTrue(System.nanoTime() < deadlineNanos, "the class loader is still there");
      System.gc();
    }
  }

  private WeakReference<ClassLoader> used() throws Exception {
    try (URLClassLoader client = loader(getClass().getClassLoader(), jarThatSays("once", "1"))) {
      assertEquals("once", said(ofSlot(client)));
      return new WeakReference<>(client);
    }
  }
}
