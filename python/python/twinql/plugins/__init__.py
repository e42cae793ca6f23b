"""Metrics and scorers in the forms that evaluation frameworks take, a module for each."""
