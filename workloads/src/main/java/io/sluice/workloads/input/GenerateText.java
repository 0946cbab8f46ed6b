package io.sluice.workloads.input;

import io.sluice.workloads.run.Program;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.ToolRunner;

/** Writes lines of twelve words, as frequent as those of natural languages (Zipf). */
public final class GenerateText extends Program {
  private static final String VOCABULARY = "workloads.text.vocabulary";
  private static final int WORDS_OF_LINE = 12;

  public GenerateText() {
    super("lines", "output");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Vocabulary words = new Vocabulary(getConf().getInt(VOCABULARY, 100_000));
    Zipf ranks = new Zipf(words.size(), 1);
    new SeededFiles(getConf())
        .write(
            new Path(arguments[1]),
            Long.parseLong(arguments[0]),
            (number, random, lines) -> {
              for (int word = 0; word < WORDS_OF_LINE; word++) {
                lines.append(words.word(ranks.draw(random)));
                lines.append(word < WORDS_OF_LINE - 1 ? ' ' : '\n');
              }
            });
  }

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new GenerateText(), arguments));
  }
}
