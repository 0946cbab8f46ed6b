package foreign.mahout;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;

/** Writes files whose lines are a name, a tab and a text as sequence files of both. */
public final class Documents {
  private Documents() {}

  /** Arguments: the directory of the files, that of the sequence files. */
  public static void main(String[] arguments) throws IOException {
    for (File file : new File(arguments[0]).listFiles()) {
      Path path = new Path(arguments[1], file.getName());
      try (SequenceFile.Writer writer =
          SequenceFile.createWriter(
              new Configuration(),
              SequenceFile.Writer.file(path),
              SequenceFile.Writer.keyClass(Text.class),
              SequenceFile.Writer.valueClass(Text.class))) {
        for (String line : Files.readAllLines(file.toPath())) {
          int tab = line.indexOf('\t');
          writer.append(new Text(line.substring(0, tab)), new Text(line.substring(tab + 1)));
        }
      }
    }
  }
}
