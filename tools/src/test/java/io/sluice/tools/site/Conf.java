package io.sluice.tools.site;

import io.sluice.tools.doctor.Finding;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;

/** A directory of configuration files that a test writes. */
final class Conf {
  private final Path directory;
  private final StringBuilder yarn = new StringBuilder();
  private final StringBuilder mapred = new StringBuilder();

  Conf(Path directory) {
    this.directory = directory;
  }

  Conf yarn(String name, String value) {
    yarn.append(property(name, value, ""));
    return this;
  }

  Conf finalInYarn(String name, String value) {
    yarn.append(property(name, value, "<final>true</final>"));
    return this;
  }

  Conf mapred(String name, String value) {
    mapred.append(property(name, value, ""));
    return this;
  }

  /** As it is. */
  Conf yarnText(String text) {
    yarn.append(text);
    return this;
  }

  private static String property(String name, String value, String more) {
    return "<property><name>%s</name><value>%s</value>%s</property>\n".formatted(name, value, more);
  }

  /** Writes the files and reads them. */
  SiteConf read() {
    try {
      write("yarn-site.xml", "<configuration>%s</configuration>".formatted(yarn));
      write("mapred-site.xml", "<configuration>%s</configuration>".formatted(mapred));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return SiteConf.ofHadoop(directory, name -> name.equals("HOME_OF_IT") ? "/opt/it" : null);
  }

  Conf write(String name, String text) throws IOException {
    Files.writeString(directory.resolve(name), text);
    return this;
  }

  /** A jar of this release with an entry for the class. */
  static Path jar(Path path, String release, String className) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, release);
    try (OutputStream file = Files.newOutputStream(path);
        JarOutputStream jar = new JarOutputStream(file, manifest)) {
      jar.putNextEntry(new ZipEntry(className.replace('.', '/') + ".class"));
      jar.putNextEntry(new ZipEntry(HadoopProperties.SERVICE_CLASS.replace('.', '/') + ".class"));
    }
    return path;
  }

  /** Everything that is not as it should be, as a terminal shows it. */
  static String complaints(List<Finding> findings) {
    StringBuilder text = new StringBuilder();
    for (Finding finding : findings) {
      if (finding.level() != Finding.Level.OK && finding.level() != Finding.Level.INFO) {
        text.append(finding.toText()).append('\n');
      }
    }
    return text.toString();
  }
}
