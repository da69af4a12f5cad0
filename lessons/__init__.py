"""Lessons: short games with forced luck and an opponent that follows a script, as data, and following them."""

from clerestory.lessons.course import Course, NotAllowed
from clerestory.lessons.lesson import BadLesson, Lesson, NoLesson
from clerestory.lessons.offer import lesson, lessons

__all__ = ["BadLesson", "Course", "Lesson", "NoLesson", "NotAllowed", "lesson", "lessons"]
