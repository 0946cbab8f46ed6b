/**
 * The model of Chen and Rodero, "Exploring the Potential of Next Generation Software-Defined
 * In-Memory Frameworks" (section V): measured here, fitted, checked, and taken to sizes that are
 * not here.
 */
package io.sluice.bench.model;
