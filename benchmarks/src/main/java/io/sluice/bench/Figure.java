package io.sluice.bench;

import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;

/**
 * One figure of what a variant did in a round, with how people read it.
 *
 * @param title its name
 * @param value takes it, raw, from what the round reported
 * @param show makes text of a raw value
 * @param <R> what a round reports of a variant
 */
public record Figure<R>(String title, ToDoubleFunction<R> value, DoubleFunction<String> show) {}
