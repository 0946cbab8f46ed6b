package io.sluice.workloads.input;

import io.sluice.workloads.input.GenerateText.Vocabulary;
import io.sluice.workloads.run.Decimal;
import java.time.LocalDate;
import java.util.SplittableRandom;
import org.apache.hadoop.fs.Path;

/**
 * Writes the two tables of HiBench's queries below the output, with commas between their columns:
 *
 * <ul>
 *   <li>{@code uservisits}: sourceIP, destURL, visitDate, adRevenue, userAgent, countryCode,
 *       languageCode, searchWord, duration
 *   <li>{@code rankings}: pageURL, pageRank, avgDuration
 * </ul>
 *
 * A visitor has twenty visits and a page ten, on average; pages are visited as Zipf says. A tenth
 * of the visits is of 1999.
 */
public final class GenerateTables extends Generator {
  private static final int VISITS_OF_VISITOR = 20;
  private static final int VISITS_OF_PAGE = 10;
  private static final int WORDS = 1_000;
  private static final int MOST_RANK = 100;
  private static final int MOST_DURATION = 100;
  private static final long MOST_REVENUE = 1_000 * Decimal.MICRO.one();
  private static final long FIRST_DAY = LocalDate.of(1995, 1, 1).toEpochDay();
  private static final long END_DAY = LocalDate.of(2005, 1, 1).toEpochDay();
  private static final String[] AGENTS = {"Mozilla/5.0", "Opera/9.80", "Lynx/2.8", "Wget/1.12"};
  private static final String[] COUNTRIES = {"BRA", "CHN", "DEU", "IND", "JPN", "USA"};
  private static final String[] LANGUAGES = {"de", "en", "hi", "ja", "pt", "zh"};

  public GenerateTables() {
    super("visits");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    long visits = Long.parseLong(arguments[0]);
    Path output = new Path(arguments[1]);
    int pages = Math.toIntExact(Math.max(1, visits / VISITS_OF_PAGE));
    Zipf ranks = new Zipf(MOST_RANK, 1);
    write(
        new Path(output, "rankings"),
        pages,
        (number, random, lines) ->
            appendUrl(lines, number)
                .append(',')
                .append(1 + ranks.draw(random))
                .append(',')
                .append(1 + random.nextInt(MOST_DURATION))
                .append('\n'));
    Zipf visited = new Zipf(pages, 1);
    Vocabulary words = new Vocabulary(WORDS);
    long visitors = Math.max(1, visits / VISITS_OF_VISITOR);
    write(
        new Path(output, "uservisits"),
        visits,
        (number, random, lines) -> {
          appendAddress(lines, random.nextLong(visitors)).append(',');
          appendUrl(lines, visited.draw(random)).append(',');
          lines.append(LocalDate.ofEpochDay(random.nextLong(FIRST_DAY, END_DAY))).append(',');
          Decimal.MICRO.append(lines, random.nextLong(MOST_REVENUE));
          lines.append(',').append(one(AGENTS, random));
          lines.append(',').append(one(COUNTRIES, random));
          lines.append(',').append(one(LANGUAGES, random));
          lines.append(',').append(words.word(random.nextInt(WORDS)));
          lines.append(',').append(1 + random.nextInt(MOST_DURATION)).append('\n');
        });
  }

  private static StringBuilder appendUrl(StringBuilder lines, long page) {
    return lines.append("http://pages.example/").append(page).append(".html");
  }

  private static StringBuilder appendAddress(StringBuilder lines, long visitor) {
    lines.append(10 + (visitor >> 24)).append('.').append(visitor >> 16 & 255);
    return lines.append('.').append(visitor >> 8 & 255).append('.').append(visitor & 255);
  }

  private static String one(String[] of, SplittableRandom random) {
    return of[random.nextInt(of.length)];
  }

  /**
   * The columns of a line of {@code uservisits} that queries use.
   *
   * @param date year, month and day, so that texts are in the order of the days
   * @param revenue in millionths
   */
  public record Visit(String address, String url, String date, long revenue) {
    /** Parses a line. */
    public static Visit parse(String line) {
      String[] columns = line.split(",", 5);
      return new Visit(columns[0], columns[1], columns[2], Decimal.MICRO.parse(columns[3]));
    }
  }
}
