"""Advice on positions: `Analyst.ask` and `Analyst.watch` answer questions, which `pose` makes, by searches.

Places, memory and time are divided between callers, as on a server, which uses this package like any other program.
"""

from clerestory.advice.analyst import Analyst
from clerestory.advice.answer import Answer
from clerestory.advice.caller import Caller
from clerestory.advice.capacity import Capacity
from clerestory.advice.demand import Priority
from clerestory.advice.question import Question, Terms, pose

__all__ = ["Analyst", "Answer", "Caller", "Capacity", "Priority", "Question", "Terms", "pose"]
